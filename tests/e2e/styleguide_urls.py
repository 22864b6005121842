"""The product's routes and the styleguide, which is otherwise served in debug mode only."""

from django.urls import path

from config import views
from config.urls import urlpatterns as product_routes

urlpatterns = [*product_routes, path("sample-styleguide/", views.styleguide)]
